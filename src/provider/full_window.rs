//! The words in which providers and local servers say that a conversation does not fit into the model's context window.
//!
//! No protocol has a code for it: most send HTTP 400 and a sentence, some 413, 422 or 500. Only such a refusal is answered by
//! a compaction, so a phrase has to be said of nothing else: not of an output limit that is out of range, and not of a rate.

/// Phrases by who says them, in lower case. Some are names of an error rather than words of its sentence. What several say
/// stands with the first.
const WORDS: [(&str, &[&str]); 15] = [
    (
        "OpenAI, Azure, DeepSeek, OpenRouter, SGLang",
        &["context_length", "context length", "context window"],
    ),
    (
        "Anthropic",
        &[
            "prompt is too long",
            "exceed context limit",
            "exceeds context limit",
        ],
    ),
    ("Bedrock", &["input is too long"]),
    (
        "Gemini, Vertex",
        &[
            "input token count",
            "maximum number of tokens",
            "maximum number of input tokens",
        ],
    ),
    ("Mistral", &["too large for model with"]),
    ("xAI", &["maximum prompt length"]),
    (
        "Groq, Cerebras",
        &[
            "reduce the length of the messages",
            "reduce the length of your messages",
        ],
    ),
    ("Cohere", &["too many tokens"]),
    (
        "GitHub Copilot",
        &["model_max_prompt_tokens_exceeded", "prompt token count"],
    ),
    ("Qwen", &["range of input length"]),
    ("Moonshot", &["model token limit"]),
    ("Zhipu", &["prompt exceeds max length", "exceed max input tokens"]),
    (
        "Hugging Face, Together",
        &["`inputs` tokens + `max_new_tokens` must be"],
    ),
    (
        "llama.cpp, Ollama, LM Studio",
        &["context size", "context_size", "context the overflows"],
    ),
    (
        "vLLM, TabbyAPI",
        &["maximum model length", "max_model_len", "max_seq_len"],
    ),
];

/// Returns true if a sentence or the names of an error, both in lower case, say that the conversation does not fit.
pub(super) fn is_full(message: &str, names: &str) -> bool {
    let mut phrases = WORDS.iter().flat_map(|(_, phrases)| *phrases);
    phrases.any(|phrase| message.contains(phrase) || names.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::super::ProviderErrorKind;
    use super::super::error::ReportedError;

    fn kind(status: u16, body: &str) -> ProviderErrorKind {
        let model = "p/m".parse().unwrap();
        ReportedError::from_body(body).with_status(&model, status).kind
    }

    macro_rules! says {
        ($($name:ident: $status:literal $body:literal;)*) => {
            $(
                #[test]
                fn $name() {
                    assert_eq!(kind($status, $body), ProviderErrorKind::Context);
                }
            )*
        };
    }

    says! {
        anthropic_says_that_the_prompt_is_too_long:
            400 r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#;
        anthropic_says_that_prompt_and_limit_do_not_fit_together:
            400 r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again"}}"#;
        anthropic_says_it_without_marks:
            400 r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and max_tokens exceed context limit: 190000 + 32000 > 200000"}}"#;
        bedrock_says_it:
            400 r#"{"message":"Input is too long for requested model."}"#;
        openai_says_it_in_chat:
            400 r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130072 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#;
        openai_says_it_in_responses:
            400 r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}"#;
        openai_says_it_by_the_code_alone:
            400 r#"{"error":{"message":"no","code":"context_length_exceeded"}}"#;
        gemini_says_it:
            400 r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#;
        vertex_says_it:
            400 r#"[{"error":{"code":400,"message":"Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.","status":"INVALID_ARGUMENT"}}]"#;
        mistral_says_it:
            400 r#"{"object":"error","message":"Prompt contains 33076 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}"#;
        deepseek_says_it:
            400 r#"{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 70104 tokens (66008 in the messages, 4096 in the completion).","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#;
        openrouter_says_it:
            400 r#"{"error":{"code":400,"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 140219 tokens (139195 of text input, 1024 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically."}}"#;
        xai_says_it:
            400 r#"{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 160213 tokens."}"#;
        groq_says_it:
            400 r#"{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages"}}"#;
        cerebras_says_it:
            400 r#"{"message":"Please reduce the length of the messages or completion. Current length is 9012 while limit is 8192","type":"invalid_request_error","param":"messages"}"#;
        cohere_says_it:
            422 r#"{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt."}"#;
        copilot_says_it:
            400 r#"{"error":{"message":"prompt token count of 132044 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}"#;
        qwen_says_it:
            400 r#"{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 129024]","type":"invalid_request_error"}}"#;
        moonshot_says_it:
            400 r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072 (requested: 140512)","type":"invalid_request_error"}}"#;
        zhipu_says_it:
            400 r#"{"error":{"code":"1261","message":"Prompt exceeds max length"}}"#;
        hugging_face_says_it:
            422 r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9001 `inputs` tokens and 512 `max_new_tokens`","error_type":"validation"}"#;
        sglang_says_it:
            400 r#"{"object":"error","message":"The input (12031 tokens) is longer than the model's context length (8192 tokens).","type":"BadRequestError","code":400}"#;
        llama_cpp_says_it:
            400 r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5011,"n_ctx":4096}}"#;
        llama_cpp_says_it_with_a_status_of_its_own_fault:
            500 r#"{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}"#;
        ollama_says_it:
            400 r#"{"error":{"message":"prompt too long; exceeded max context length by 123 tokens","type":"api_error"}}"#;
        lm_studio_says_it:
            400 r#"{"error":"Trying to keep the first 5013 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}"#;
        vllm_says_it:
            400 r#"{"object":"error","message":"The decoder prompt (length 5042) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.","type":"BadRequestError","code":400}"#;
        tabby_says_it:
            400 r#"{"error":{"message":"Prompt length 5000 is greater than max_seq_len 4096"}}"#;
    }

    #[test]
    fn a_limit_or_a_rate_is_no_full_window() {
        for (status, body) in [
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens","param":"max_tokens"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024","param":"tools"}}"#,
            ),
            (
                429,
                r#"{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000","code":"rate_limit_exceeded"}}"#,
            ),
            (
                500,
                r#"{"error":{"message":"The server had an error","type":"server_error"}}"#,
            ),
        ] {
            assert_ne!(kind(status, body), ProviderErrorKind::Context, "{body}");
        }
    }
}
