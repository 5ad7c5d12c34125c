//! The four-tool server on the official Rust SDK: both eras.
//!
//!     sdk-server-rust stdio | sdk-server-rust http PORT

use std::{env, error::Error, sync::Arc, time::Duration};

use rmcp::{
    ServerHandler, ServiceExt,
    handler::server::wrapper::Parameters,
    model::{Implementation, ServerCapabilities, ServerConfig},
    schemars::{self, JsonSchema},
    tool, tool_handler, tool_router,
    transport::{
        stdio,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct List {
    n: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    ms: u64,
}

#[derive(Serialize)]
struct Item {
    id: u32,
    name: String,
    done: bool,
}

#[derive(Clone)]
struct FourTools;

#[tool_router]
impl FourTools {
    #[tool(description = "Says the message back", annotations(read_only_hint = true))]
    async fn echo(&self, Parameters(Echo { message }): Parameters<Echo>) -> String {
        format!("Echo: {message}")
    }

    #[tool(description = "Adds two numbers", annotations(read_only_hint = true))]
    async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Lists n items", annotations(read_only_hint = true))]
    async fn list(&self, Parameters(List { n }): Parameters<List>) -> String {
        let item = |id| Item { id, name: format!("item {id}"), done: false };
        serde_json::to_string(&(0..n).map(item).collect::<Vec<_>>()).unwrap_or_default()
    }

    #[tool(description = "Sleeps for ms milliseconds", annotations(read_only_hint = true))]
    async fn sleep(&self, Parameters(Sleep { ms }): Parameters<Sleep>) -> String {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        format!("slept {ms} ms")
    }
}

#[tool_handler]
impl ServerHandler for FourTools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("sdk-rust", "3.11.0"))
    }
}

async fn serve_http(port: &str) -> Result<(), Box<dyn Error>> {
    let service = StreamableHttpService::new(
        || Ok(FourTools),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let port = words.get(1).cloned().or_else(|| env::var("PORT").ok());
    match (words.first().map(String::as_str), port) {
        (Some("stdio"), _) => {
            FourTools.serve(stdio()).await?.waiting().await?;
            Ok(())
        }
        (Some("http"), Some(port)) => serve_http(&port).await,
        _ => Err("usage: sdk-server-rust stdio | sdk-server-rust http PORT".into()),
    }
}
