//! Reads all orders with a client of progenitor.

use std::collections::HashSet;
use std::time::Duration;

progenitor::generate_api!(spec = "openapi-3.0.json", interface = Builder);

#[tokio::main]
async fn main() {
    let key = std::env::var("STORE_EXPORT_KEY").unwrap();
    let headers = [("x-api-key".parse().unwrap(), key.parse().unwrap())].into_iter().collect();
    let http = reqwest::Client::builder().default_headers(headers).build().unwrap();
    let client = Client::new_with_client(&std::env::var("BASE_URL").unwrap(), http);
    let mut ids = HashSet::new();
    let (mut guests, mut waits) = (0, 0);
    let mut cursor: Option<String> = None;
    loop {
        let mut request = client.list_orders().limit(std::num::NonZeroU64::new(100).unwrap());
        if let Some(cursor) = &cursor {
            request = request.cursor(cursor);
        }
        let page = match request.send().await {
            Ok(response) => response.into_inner(),
            Err(error) if error.status().is_some_and(|status| status == 429) => {
                let progenitor_client::Error::ErrorResponse(response) = error else { panic!("{error}") };
                let seconds = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
                waits += 1;
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        for order in page.data {
            ids.insert(order.id);
            guests += i32::from(order.customer_id.is_none());
        }
        cursor = page.meta.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    println!("{{\"orders\":{},\"guests\":{},\"waits\":{}}}", ids.len(), guests, waits);
}
