// A merchant's program that adds a product and finds it again, with a client that oapi-codegen generated from the OpenAPI
// document of the Management API.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"client/haggle"
)

func main() {
	project, key := os.Getenv("HAGGLE_PROJECT"), os.Getenv("HAGGLE_KEY")
	client, err := haggle.NewClientWithResponses(os.Getenv("HAGGLE_URL"), haggle.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}
	sku, name, price := "LAMP-GO", "Reading lamp", 49.9
	added, err := client.CreateProductWithResponse(context.Background(), &haggle.CreateProductParams{XProjectID: &project},
		haggle.CreateProductJSONRequestBody{
			Sku:   &sku,
			Name:  &name,
			Price: &price,
		})
	if err != nil {
		log.Fatal(err)
	}
	if added.JSON201 == nil {
		log.Fatalf("%s: %s", added.Status(), added.Body)
	}
	found, err := client.ListProductsWithResponse(context.Background(), &haggle.ListProductsParams{XProjectID: &project, Q: &sku})
	if err != nil {
		log.Fatal(err)
	}
	if found.JSON200 == nil {
		log.Fatalf("%s: %s", found.Status(), found.Body)
	}
	for _, product := range found.JSON200.Data {
		fmt.Println(product.Name, product.Price)
	}
}
