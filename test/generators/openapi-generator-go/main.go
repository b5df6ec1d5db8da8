// Reads all orders with a Go client of openapi-generator.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	openapi "store-client"
)

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	keys := map[string]openapi.APIKey{"storeKey": {Key: os.Getenv("STORE_EXPORT_KEY")}}
	ctx := context.WithValue(context.Background(), openapi.ContextAPIKeys, keys)
	client := openapi.NewAPIClient(configuration)
	ids := map[string]bool{}
	guests, waits := 0, 0
	request := client.OrdersAPI.ListOrders(ctx).Limit(100)
	for {
		page, response, err := request.Execute()
		if response != nil && response.StatusCode == 429 {
			waits++
			seconds, _ := strconv.Atoi(response.Header.Get("retry-after"))
			time.Sleep(time.Duration(seconds) * time.Second)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, order := range page.Data {
			ids[order.Id] = true
			if !order.CustomerId.IsSet() || order.CustomerId.Get() == nil {
				guests++
			}
		}
		next := page.Meta.NextCursor.Get()
		if next == nil {
			break
		}
		request = request.Cursor(*next)
	}
	fmt.Printf("{\"orders\":%d,\"guests\":%d,\"waits\":%d}\n", len(ids), guests, waits)
}
