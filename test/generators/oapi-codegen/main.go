// Reads all orders with a client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"

	"generators/api"
)

func main() {
	addKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", os.Getenv("STORE_EXPORT_KEY"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(addKey))
	if err != nil {
		log.Fatal(err)
	}
	ids := map[string]bool{}
	guests, waits, limit := 0, 0, 100
	var cursor *string
	for {
		parameters := api.ListOrdersParams{Limit: &limit, Cursor: cursor}
		response, err := client.ListOrdersWithResponse(context.Background(), &parameters)
		if err != nil {
			log.Fatal(err)
		}
		if response.StatusCode() == 429 {
			waits++
			seconds, _ := strconv.Atoi(response.HTTPResponse.Header.Get("retry-after"))
			time.Sleep(time.Duration(seconds) * time.Second)
			continue
		}
		if response.JSON200 == nil {
			log.Fatal(response.Status())
		}
		for _, order := range response.JSON200.Data {
			ids[order.Id.String()] = true
			if order.CustomerId == nil {
				guests++
			}
		}
		cursor = response.JSON200.Meta.NextCursor
		if cursor == nil {
			break
		}
	}
	fmt.Printf("{\"orders\":%d,\"guests\":%d,\"waits\":%d}\n", len(ids), guests, waits)
}
