<?php

// Reads all orders with a PHP client of openapi-generator.

use GuzzleHttp\Client;
use StoreClient\Api\OrdersApi;
use StoreClient\ApiException;
use StoreClient\Configuration;
use StoreClient\ObjectSerializer;

require getenv('GUZZLE');
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/client/lib/' . strtr(substr($class, strlen('StoreClient\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'StoreClient\\') && is_file($file)) {
        require $file;
    }
});

$configuration = (new Configuration())->setHost(getenv('BASE_URL'))->setApiKey('x-api-key', getenv('STORE_EXPORT_KEY'));
// The client compares timestamps with the pattern of the document in this format. Its default has no milliseconds.
ObjectSerializer::setDateTimeFormat('Y-m-d\TH:i:s.v\Z');
$api = new OrdersApi(new Client(), $configuration);
$ids = [];
$guests = 0;
$waits = 0;
$cursor = null;
do {
    try {
        $page = $api->listOrders(limit: 100, cursor: $cursor);
    } catch (ApiException $error) {
        if ($error->getCode() !== 429) {
            throw $error;
        }
        $waits++;
        sleep((int) array_change_key_case($error->getResponseHeaders())['retry-after'][0]);
        continue;
    }
    foreach ($page->getData() as $order) {
        $ids[$order->getId()] = true;
        $guests += $order->getCustomerId() === null ? 1 : 0;
    }
    $cursor = $page->getMeta()->getNextCursor();
} while ($cursor !== null || !isset($page));

echo json_encode(['orders' => count($ids), 'guests' => $guests, 'waits' => $waits]), "\n";
