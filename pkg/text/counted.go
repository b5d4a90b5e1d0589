package text

import "fmt"

// Counted is a number with its noun: "1 memory", "2 memories".
func Counted[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
