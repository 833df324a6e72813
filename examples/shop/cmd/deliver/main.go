// Command deliver plans the routes of a day.
package main

import (
	"fmt"

	"shop/courier"
)

func main() {
	route := &courier.Route{}
	route.Add(courier.Stop{Address: "1 High Street", Parcels: 3})
	van := courier.Van{Room: 10}
	fmt.Println(van.Load(route), route.Parcels())
}
