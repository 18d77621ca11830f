//! Small PDFs for tests.

use std::fmt::Write;

/// The pages of a PDF.
#[derive(Debug, Clone)]
pub(crate) struct Pages {
    /// One line each; an empty one is a page without text.
    pub(crate) lines: Vec<String>,
    /// `false` leaves out what every page must have.
    pub(crate) media_boxes: Vec<bool>,
}

impl Pages {
    pub(crate) fn of(lines: &[&str]) -> Self {
        Self {
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            media_boxes: vec![true; lines.len()],
        }
    }
}

/// Writes a PDF with these pages.
pub(crate) fn pdf(pages: &Pages) -> Vec<u8> {
    let count = pages.lines.len();
    let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", 4 + page * 2)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (page, line) in pages.lines.iter().enumerate() {
        let media_box = if pages.media_boxes[page] {
            "/MediaBox [0 0 612 792]"
        } else {
            ""
        };
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R {media_box} /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            5 + page * 2
        ));
        let escaped = line.replace('(', "\\(").replace(')', "\\)");
        let drawn = if line.is_empty() {
            String::new()
        } else {
            format!("BT /F1 24 Tf 72 700 Td ({escaped}) Tj ET")
        };
        objects.push(format!(
            "<< /Length {} >>\nstream\n{drawn}\nendstream",
            drawn.len()
        ));
    }
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        let _ = write!(file, "{} 0 obj\n{object}\nendobj\n", index + 1);
    }
    let table = file.len();
    let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(file, "{place:010} 00000 n ");
    }
    let _ = write!(
        file,
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    );
    file.into_bytes()
}
