package cli

import (
	"fmt"
	"strconv"

	"github.com/alecthomas/kong"
)

// A Count is a flag for a number of things. In "-k -3" it reads the number,
// which its command then refuses, and no other flag.
type Count int

// Decode is called by kong.
func (n *Count) Decode(ctx *kong.DecodeContext) error {
	said := ctx.Scan.Pop().String()
	number, err := strconv.Atoi(said)
	if err != nil {
		return fmt.Errorf("%q is no number; want how many", said)
	}
	*n = Count(number)
	return nil
}
