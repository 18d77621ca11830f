//! The pictures of a request, in forms that the provider takes.
//!
//! It does not matter here who gave a picture: a person, a tool, a conversation that another model began. One that the
//! provider would refuse would make the whole session unusable, so it is recoded before it is sent, or left out with a
//! note. What is sent is the same each time, so that the provider's cache holds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::{Protocol, ProviderError, ProviderErrorKind, Request};
use crate::conversation::{Attachment, CallResult, Message, PartBody, TextPart};
use crate::picture::{self, PictureError};

/// Pixels of a side that every provider takes.
const MOST_SIDE: u32 = 8000;
/// Characters of base64 that are looked at for the header. A photograph may have much before its size.
const HEADS: [usize; 2] = [1024, 512 * 1024];
/// Recoded pictures that are kept for the next request.
const MOST_KEPT: usize = 32;

/// Remembers the pictures that had to be recoded.
#[derive(Debug, Clone, Default)]
pub(crate) struct PictureRecoder {
    recoded: Arc<Mutex<HashMap<[u8; 32], RequestPicture>>>,
}

/// The form in which a request carries a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RequestPicture {
    Sent {
        mime: &'static str,
        data: Arc<str>,
    },
    /// The words that stand for one that cannot be sent.
    LeftOut(String),
}

impl PictureRecoder {
    /// Returns the request with pictures that `protocol` takes.
    pub(crate) async fn fit(&self, request: Request, protocol: Protocol) -> Result<Request, ProviderError> {
        if !request
            .messages
            .iter()
            .any(|message| has_misfit(message, protocol))
        {
            return Ok(request);
        }
        let pictures = self.clone();
        let work = tokio::task::spawn_blocking(move || pictures.fit_all(request, protocol));
        work.await.map_err(|_| {
            let message = "the images of the conversation could not be prepared";
            ProviderError::new(ProviderErrorKind::BadRequest, message)
        })
    }

    fn fit_all(&self, mut request: Request, protocol: Protocol) -> Request {
        for message in &mut request.messages {
            if has_misfit(message, protocol) {
                self.fit_message(Arc::make_mut(message), protocol);
            }
        }
        request
    }

    fn fit_message(&self, message: &mut Message, protocol: Protocol) {
        for part in &mut message.parts {
            match &mut part.body {
                PartBody::File(file) if is_misfit(&file.mime, &file.data, protocol) => {
                    match self.picture(&file.mime, &file.data) {
                        RequestPicture::Sent { mime, data } => {
                            mime.clone_into(&mut file.mime);
                            file.data = data.to_string();
                        }
                        RequestPicture::LeftOut(note) => {
                            part.body = PartBody::Text(TextPart {
                                text: format!("{} {note}", file.path),
                                native: None,
                            });
                        }
                    }
                }
                PartBody::Tool(call) => {
                    let result = call.result.as_mut();
                    if let Some(result) = result.filter(|result| has_misfit_attached(&result.get(), protocol))
                    {
                        result.change(|result| {
                            for attachment in &mut result.attachments {
                                self.fit_attachment(attachment, protocol);
                            }
                        });
                    }
                }
                _ => {}
            }
        }
    }

    fn fit_attachment(&self, attachment: &mut Attachment, protocol: Protocol) {
        if !is_misfit(&attachment.mime, &attachment.data, protocol) {
            return;
        }
        *attachment = match self.picture(&attachment.mime, &attachment.data) {
            RequestPicture::Sent { mime, data } => Attachment {
                mime: mime.to_owned(),
                data: data.to_string(),
            },
            RequestPicture::LeftOut(note) => Attachment {
                mime: "text/plain".to_owned(),
                data: note,
            },
        };
    }

    fn picture(&self, mime: &str, data: &str) -> RequestPicture {
        let key: [u8; 32] = Sha256::digest(data).into();
        let mut recoded = self.recoded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(picture) = recoded.get(&key) {
            return picture.clone();
        }
        let picture = recode(mime, data);
        if recoded.len() >= MOST_KEPT {
            recoded.clear();
        }
        recoded.insert(key, picture.clone());
        picture
    }
}

fn recode(mime: &str, data: &str) -> RequestPicture {
    let left_out = |why: &str| RequestPicture::LeftOut(format!("[{mime} left out: {why}]"));
    let Ok(bytes) = STANDARD.decode(data.trim()) else {
        return left_out("it is not base64");
    };
    match picture::alone(|alone| alone.recode(&bytes)) {
        Ok(fitted) => RequestPicture::Sent {
            mime: fitted.mime,
            data: STANDARD.encode(&fitted.bytes).into(),
        },
        Err(error @ PictureError::TooLarge { .. }) => left_out(&error.to_string()),
        Err(PictureError::Unreadable(_)) => left_out("it cannot be read as an image"),
    }
}

fn has_misfit_attached(result: &CallResult, protocol: Protocol) -> bool {
    let mut attachments = result.attachments.iter();
    attachments.any(|attachment| is_misfit(&attachment.mime, &attachment.data, protocol))
}

fn has_misfit(message: &Message, protocol: Protocol) -> bool {
    message.parts.iter().any(|part| match &part.body {
        PartBody::File(file) => is_misfit(&file.mime, &file.data, protocol),
        PartBody::Tool(call) => {
            let result = call.result();
            result.is_some_and(|result| has_misfit_attached(&result, protocol))
        }
        _ => false,
    })
}

/// Returns true if a picture cannot be sent as it is, by its header and its length.
fn is_misfit(mime: &str, data: &str, protocol: Protocol) -> bool {
    if !mime.starts_with("image/") {
        return false;
    }
    let is_taken = match protocol {
        Protocol::Gemini => mime != "image/gif",
        // They take no animations; those say so by this word.
        Protocol::OpenAiChat | Protocol::OpenAiResponses => mime != "image/gif" || !is_animated(data),
        Protocol::Anthropic => true,
    };
    !is_taken || data.len() > picture::MOST_BASE64 || !has_sound_header(mime, data)
}

fn has_sound_header(mime: &str, data: &str) -> bool {
    HEADS.iter().any(|head| {
        let head = start_of(data, *head);
        let size = picture::size(&head);
        picture::mime_of(&head) == Some(mime)
            && size.is_some_and(|(width, height)| width.max(height) <= MOST_SIDE)
    })
}

fn is_animated(data: &str) -> bool {
    let head = start_of(data, 4096);
    head.windows(8).any(|window| window == b"NETSCAPE")
}

/// Returns the first bytes of base64, as far as it is some.
fn start_of(data: &str, characters: usize) -> Vec<u8> {
    let bytes = data.as_bytes();
    let end = characters.min(bytes.len()) / 4 * 4;
    STANDARD.decode(&bytes[..end]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, ImageFormat};

    use super::super::sample;
    use super::*;
    use crate::conversation::{FilePart, Role};

    fn written(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height)
            .write_to(&mut bytes, format)
            .unwrap();
        bytes.into_inner()
    }

    async fn sent(mime: &str, bytes: &[u8], protocol: Protocol) -> Vec<(String, String)> {
        let data = STANDARD.encode(bytes);
        let file = PartBody::File(FilePart {
            path: "a".to_owned(),
            mime: mime.to_owned(),
            data: data.clone(),
            label: None,
        });
        let mut call = sample::tool_part("read", "{}", None, "ok");
        let attachment = Attachment {
            mime: mime.to_owned(),
            data,
        };
        call.result
            .as_mut()
            .unwrap()
            .change(|result| result.attachments.push(attachment));
        let messages = vec![
            sample::message(Role::User, vec![file]),
            sample::assistant(vec![PartBody::Tool(call)]),
        ];
        let pictures = PictureRecoder::default();
        let request = sample::request("p/m", messages);
        let fitted = pictures.fit(request, protocol).await.unwrap();
        let again = pictures.fit(fitted.clone(), protocol).await.unwrap();
        assert_eq!(again.messages, fitted.messages);
        let mut sent = Vec::new();
        for part in fitted.messages.iter().flat_map(|message| &message.parts) {
            match &part.body {
                PartBody::File(file) => sent.push((file.mime.clone(), file.data.clone())),
                PartBody::Text(text) => sent.push(("text/plain".to_owned(), text.text.clone())),
                PartBody::Tool(call) => {
                    let attachment = &call.result().unwrap().attachments[0];
                    sent.push((attachment.mime.clone(), attachment.data.clone()));
                }
                _ => {}
            }
        }
        sent
    }

    #[tokio::test]
    async fn what_every_provider_takes_is_sent_as_it_is() {
        for (mime, format) in [
            ("image/png", ImageFormat::Png),
            ("image/jpeg", ImageFormat::Jpeg),
            ("image/webp", ImageFormat::WebP),
        ] {
            let bytes = written(60, 40, format);
            for protocol in [Protocol::Anthropic, Protocol::Gemini, Protocol::OpenAiChat] {
                let expected = (mime.to_owned(), STANDARD.encode(&bytes));
                assert_eq!(sent(mime, &bytes, protocol).await, [expected.clone(), expected]);
            }
        }
    }

    #[tokio::test]
    async fn gemini_gets_no_gif_and_the_others_no_animation() {
        let gif = written(6, 4, ImageFormat::Gif);
        for (protocol, mime) in [
            (Protocol::Gemini, "image/png"),
            (Protocol::Anthropic, "image/gif"),
            (Protocol::OpenAiResponses, "image/gif"),
        ] {
            for (sent, _) in sent("image/gif", &gif, protocol).await {
                assert_eq!(sent, mime, "{protocol}");
            }
        }
        let mut bytes = Vec::new();
        let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
        encoder.set_repeat(image::codecs::gif::Repeat::Infinite).unwrap();
        for _ in 0..2 {
            encoder
                .encode_frame(image::Frame::new(image::RgbaImage::new(4, 4)))
                .unwrap();
        }
        drop(encoder);
        assert_eq!(
            sent("image/gif", &bytes, Protocol::OpenAiChat).await[0].0,
            "image/png"
        );
    }

    #[tokio::test]
    async fn a_picture_under_a_wrong_name_or_with_too_long_a_side_is_recoded() {
        let jpeg = written(60, 40, ImageFormat::Jpeg);
        assert_eq!(
            sent("image/png", &jpeg, Protocol::Anthropic).await[0].0,
            "image/png"
        );
        let wide = written(9000, 10, ImageFormat::Png);
        for (_, data) in sent("image/png", &wide, Protocol::Anthropic).await {
            let size = picture::size(&STANDARD.decode(data).unwrap());
            assert_eq!(size, Some((2000, 2)));
        }
    }

    #[tokio::test]
    async fn what_cannot_be_sent_is_named_in_its_place() {
        let mut large = written(3, 2, ImageFormat::Png);
        large[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
        let cases: [(&str, &[u8], &str); 3] = [
            ("image/png", &large, "it measures 16384x16384 pixels"),
            ("image/svg+xml", b"<svg/>", "cannot be read as an image"),
            ("image/png", b"nothing", "cannot be read as an image"),
        ];
        for (mime, bytes, words) in cases {
            for (kind, text) in sent(mime, bytes, Protocol::Anthropic).await {
                assert_eq!(kind, "text/plain");
                assert!(text.contains(mime) && text.contains(words), "{text}");
            }
        }
    }
}
