//! Context window of a model on a local server, as the server tells it.
//!
//! A local server cuts the window of a model to what its memory holds, and some drop the beginning of a longer prompt
//! without a word. `llama.cpp` tells its window at `/props`, Ollama at `/api/show`, vLLM at `/v1/models` and LM Studio at
//! `/api/v0/models`. Servers are asked one question after the other, because some answer one connection at a time. One
//! that is slow is not asked further, and what makes no sense as a window counts as no answer.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::Url;
use serde_json::{Value, json};

use super::http::{Http, OutgoingRequest};
use super::{Protocol, ProviderSettings};
use crate::conversation::ModelRef;

/// Longest wait for one answer.
const ANSWER_TIME: Duration = Duration::from_millis(500);
/// Longest wait for all of them.
const WHOLE_TIME: Duration = Duration::from_secs(1);

/// Returns true if a provider is a server of the user's own: it speaks OpenAI Chat on this machine or in its network.
pub(crate) fn is_local(settings: &ProviderSettings) -> bool {
    let url = Url::parse(&settings.base_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    settings.protocol == Protocol::OpenAiChat && is_local_host(host.trim_matches(['[', ']']))
}

fn is_local_host(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Err(_) => {
            let ends_locally = [".local", ".lan", ".internal"]
                .iter()
                .any(|end| host.ends_with(end));
            !host.is_empty() && (!host.contains('.') || ends_locally)
        }
    }
}

/// Asks a server for the window of a model, in tokens.
pub(crate) async fn ask(http: &Http, model: &ModelRef, settings: &ProviderSettings) -> Option<u64> {
    let base_url = settings.base_url.trim_end_matches('/');
    let root = base_url.strip_suffix("/v1").unwrap_or(base_url);
    let at_root = ProviderSettings {
        base_url: root.to_owned(),
        ..settings.clone()
    };
    let asking = async {
        let listed = answer(http, model, settings, "/models", None).await?;
        if let Some(window) = of_list(&listed, &model.model) {
            return Some(window);
        }
        let properties = answer(http, model, &at_root, "/props", None).await?;
        if let Some(window) = of_properties(&properties) {
            return Some(window);
        }
        let question = json!({ "model": model.model });
        let shown = answer(http, model, &at_root, "/api/show", Some(&question)).await?;
        if let Some(window) = of_description(&shown) {
            return Some(window);
        }
        let listed = answer(http, model, &at_root, "/api/v0/models", None).await?;
        of_list(&listed, &model.model)
    };
    tokio::time::timeout(WHOLE_TIME, asking).await.ok().flatten()
}

/// Returns what a server says at a path; null where it has nothing there, and nothing where no answer came in time.
async fn answer(
    http: &Http,
    model: &ModelRef,
    settings: &ProviderSettings,
    path: &str,
    question: Option<&Value>,
) -> Option<Value> {
    let key = settings.api_key.as_deref().filter(|key| !key.is_empty());
    let outgoing = OutgoingRequest {
        model,
        settings,
        path: path.to_owned(),
        headers: (settings.protocol.adapter().headers)(key),
        body: question.map(Value::to_string).unwrap_or_default().into_bytes(),
    };
    http.json(outgoing, ANSWER_TIME).await
}

/// Reads a list of models: the window that the model was loaded with, or the longest that the server takes.
fn of_list(answer: &Value, model: &str) -> Option<u64> {
    let models = answer["data"].as_array()?;
    let named = models.iter().find(|listed| listed["id"] == model);
    let only = models.first().filter(|_| models.len() == 1);
    let listed = named.or(only)?;
    let keys = [
        "loaded_context_length",
        "max_model_len",
        "context_length",
        "context_window",
    ];
    keys.iter().find_map(|key| window(&listed[*key]))
}

fn of_properties(answer: &Value) -> Option<u64> {
    window(&answer["default_generation_settings"]["n_ctx"]).or_else(|| window(&answer["n_ctx"]))
}

/// Reads what Ollama tells of a model: the window that its file sets, or the one that it was made with.
fn of_description(answer: &Value) -> Option<u64> {
    let parameters = answer["parameters"].as_str().unwrap_or_default();
    let set = parameters.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let value = words.next().filter(|name| *name == "num_ctx").and(words.next())?;
        window(&Value::from(value.parse::<u64>().ok()?))
    });
    let mut facts = answer["model_info"].as_object().into_iter().flatten();
    set.or_else(|| {
        facts.find_map(|(name, value)| name.ends_with(".context_length").then(|| window(value))?)
    })
}

/// Returns a number that may be a window.
fn window(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .filter(|tokens| (512..=100_000_000).contains(tokens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_the_users_own_network_are_local() {
        for (url, expected) in [
            ("http://127.0.0.1:8080/v1", true),
            ("http://localhost:11434/v1/", true),
            ("http://[::1]:1234/v1", true),
            ("http://192.168.1.20:8000/v1", true),
            ("http://workstation:8080/v1", true),
            ("http://gpu.lan/v1", true),
            ("http://host.docker.internal:11434/v1", true),
            ("https://api.openai.com/v1", false),
            ("http://127.0.0.1.example.org/v1", false),
            ("http://8.8.8.8/v1", false),
            ("not a url", false),
        ] {
            let settings = ProviderSettings::new(Protocol::OpenAiChat, url);
            assert_eq!(is_local(&settings), expected, "{url}");
        }
        let other = ProviderSettings::new(Protocol::Anthropic, "http://127.0.0.1:1/v1");
        assert!(!is_local(&other));
    }

    #[test]
    fn a_list_tells_of_the_model_that_is_asked_or_of_the_only_one() {
        let vllm = json!({"data": [{"id": "a", "max_model_len": 8192}, {"id": "b", "max_model_len": 4096}]});
        assert_eq!(of_list(&vllm, "b"), Some(4096));
        assert_eq!(of_list(&vllm, "c"), None);
        let studio =
            json!({"data": [{"id": "x", "loaded_context_length": 4096, "max_context_length": 131_072}]});
        assert_eq!(of_list(&studio, "another name"), Some(4096));
        for rubbish in [
            json!(null),
            json!([]),
            json!({"data": 5}),
            json!({"data": [{"id": "a", "max_model_len": "many"}]}),
            json!({"data": [{"id": "a", "max_model_len": 0}]}),
            json!({"data": [{"id": "a", "max_model_len": -1}]}),
        ] {
            assert_eq!(of_list(&rubbish, "a"), None, "{rubbish}");
        }
    }

    #[test]
    fn other_servers_tell_in_words_of_their_own() {
        let now = json!({"default_generation_settings": {"n_ctx": 16_384}, "total_slots": 1});
        assert_eq!(of_properties(&now), Some(16_384));
        assert_eq!(of_properties(&json!({"n_ctx": 2048})), Some(2048));
        assert_eq!(of_properties(&json!("<html>")), None);
        let shown = json!({
            "parameters": "stop \"<|im_end|>\"\nnum_ctx      8192",
            "model_info": {"general.architecture": "llama", "llama.context_length": 131_072},
        });
        assert_eq!(of_description(&shown), Some(8192));
        let shown = json!({"model_info": {"llama.embedding_length": 4096, "llama.context_length": 131_072}});
        assert_eq!(of_description(&shown), Some(131_072));
        assert_eq!(
            of_description(&json!({"parameters": "num_ctx x", "model_info": []})),
            None
        );
    }
}
