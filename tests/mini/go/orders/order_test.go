package orders

import "testing"

func TestTotal(t *testing.T) {
	if (Order{}).total(nil) != 0 {
		t.Fail()
	}
}
