// Package ratelimit lets through so many requests a second, and a burst.
package ratelimit

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBurst is returned for a request larger than the bucket: it could never
// be let through, however long it waited.
var ErrBurst = errors.New("ratelimit: request exceeds the burst size")

// A Bucket fills with tokens at a steady rate. A request takes tokens out;
// when there are too few it waits.
type Bucket struct {
	mu     sync.Mutex
	rate   float64 // tokens a second
	burst  float64 // the most it holds
	tokens float64
	last   time.Time
	now    func() time.Time
}

// New returns a full bucket.
func New(rate, burst float64) *Bucket {
	b := &Bucket{rate: rate, burst: burst, tokens: burst, now: time.Now}
	b.last = b.now()
	return b
}

// Allow takes n tokens if they are there and reports whether they were.
func (b *Bucket) Allow(n float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if b.tokens < n {
		return false
	}
	b.tokens -= n
	return true
}

// Wait takes n tokens, waiting for them as long as the context lets it.
func (b *Bucket) Wait(ctx context.Context, n float64) error {
	if n > b.burst {
		return ErrBurst
	}
	for !b.Allow(n) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(b.delay(n)):
		}
	}
	return nil
}

func (b *Bucket) refill() {
	now := b.now()
	b.tokens = min(b.burst, b.tokens+now.Sub(b.last).Seconds()*b.rate)
	b.last = now
}

func (b *Bucket) delay(n float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	missing := max(0, n-b.tokens)
	return time.Duration(missing / b.rate * float64(time.Second))
}
