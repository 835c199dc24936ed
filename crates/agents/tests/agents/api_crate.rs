//! Why chat completions have a wire of our own: what the crate that serves the other wires does with servers that anybody
//! may have written. When one of these fails, the crate has changed, and `docs/decisions/0012-model-apis.md` should be read
//! again.

use futures_util::StreamExt as _;
use genai::adapter::AdapterKind;
use genai::chat::{ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// One event. Small: the crate puts what it has and what comes together anew each time, so that the time for one event
/// grows with the square of its size (24 MiB were not done after two minutes of a processor, unoptimised).
const EVENT_BYTES: usize = 1024 * 1024;
const PIECE: &[u8] = &[b'a'; 64 * 1024];

/// A server for one request, which answers with this and then with so many bytes more.
async fn serve(head: &'static str, more: usize) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = [0; 16 * 1024];
        let _ = connection.read(&mut request).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..more / PIECE.len() {
            connection.write_all(PIECE).await.unwrap();
        }
    });
    url
}

/// Everything that the crate makes of it.
async fn told(url: String, options: ChatOptions) -> Vec<genai::Result<ChatStreamEvent>> {
    let plain = reqwest::Client::builder().no_proxy().tls_certs_only(std::iter::empty()).build().unwrap();
    let client = genai::Client::builder().with_reqwest(plain).build().unwrap();
    let target = ServiceTarget {
        endpoint: Endpoint::from_owned(url.clone()),
        auth: AuthData::RequestOverride { url, headers: Headers::default() },
        model: ModelIden::new(AdapterKind::OpenAI, "model"),
    };
    let request = ChatRequest::from_messages(vec![ChatMessage::user("hello")]);
    client.exec_chat_stream(target, request, Some(&options)).await.unwrap().stream.collect().await
}

#[tokio::test]
async fn the_crate_keeps_whatever_comes_until_an_event_ends() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: ";
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let options = ChatOptions::default().with_raw_frame_fn(move |_, frame| ear.lock().unwrap().push(frame.data.len()));
    told(serve(head, EVENT_BYTES).await, options).await;
    // The first that anybody hears of it is all of it: nothing before at which it could be stopped.
    assert_eq!(*heard.lock().unwrap(), [EVENT_BYTES]);
}

#[tokio::test]
async fn the_crate_loses_an_answer_that_comes_whole() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let whole = concat!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n",
        r#"{"model":"m","choices":[{"index":0,"message":{"content":"paid for"},"finish_reason":"stop"}]}"#
    );
    let events = told(serve(whole, 0).await, ChatOptions::default()).await;
    assert!(!format!("{events:?}").contains("paid for"), "{events:?}");
    assert!(events.iter().all(|event| matches!(event, Ok(ChatStreamEvent::Start))), "{events:?}");
}
