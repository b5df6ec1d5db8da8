// Reads all orders with a client of ogen.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"generators/api"
)

type key struct{}

func (key) StoreKey(context.Context, api.OperationName) (api.StoreKey, error) {
	return api.StoreKey{APIKey: os.Getenv("STORE_EXPORT_KEY")}, nil
}

func main() {
	client, err := api.NewClient(os.Getenv("BASE_URL"), key{})
	if err != nil {
		log.Fatal(err)
	}
	ids := map[string]bool{}
	guests, waits := 0, 0
	parameters := api.ListOrdersParams{Limit: api.NewOptInt(100)}
	for {
		result, err := client.ListOrders(context.Background(), parameters)
		if err != nil {
			log.Fatal(err)
		}
		var page api.OrderList
		switch response := result.(type) {
		case *api.OrderListHeaders:
			page = response.Response
		case *api.RateLimitedResponseHeaders:
			waits++
			time.Sleep(time.Duration(response.RetryAfter.Value) * time.Second)
			continue
		default:
			log.Fatalf("%T", result)
		}
		for _, order := range page.Data {
			ids[order.ID.String()] = true
			if order.CustomerID.Null {
				guests++
			}
		}
		if page.Meta.NextCursor.Null {
			break
		}
		parameters.Cursor = api.NewOptString(page.Meta.NextCursor.Value)
	}
	fmt.Printf("{\"orders\":%d,\"guests\":%d,\"waits\":%d}\n", len(ids), guests, waits)
}
