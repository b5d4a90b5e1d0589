package shop.inventory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps count of what the warehouse holds and of what is promised to orders.
 *
 * <p>A unit is in one of three states: free, reserved for an order, or
 * shipped. Only {@link #confirm} makes a unit leave the warehouse.
 */
public final class InventoryService {

    /** How long a reservation holds before it may be given to someone else. */
    static final Duration HOLD = Duration.ofMinutes(15);

    private final Map<String, Integer> onHand = new HashMap<>();
    private final Map<UUID, Reservation> reservations = new HashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Clock clock;

    public InventoryService(Clock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /**
     * Sets units aside for an order.
     *
     * <p>Reservations that ran out are released first, so a customer who
     * walked away from the checkout does not block the next one.
     *
     * @throws OutOfStockException when fewer units are free than asked for;
     *     nothing is reserved in that case
     */
    public UUID reserveStock(String sku, int quantity) throws OutOfStockException {
        if (quantity <= 0) {
            throw new IllegalArgumentException("quantity must be positive, got " + quantity);
        }
        lock.lock();
        try {
            releaseExpired();
            int free = available(sku);
            if (free < quantity) {
                throw new OutOfStockException(sku, quantity, free);
            }
            UUID id = UUID.randomUUID();
            reservations.put(id, new Reservation(sku, quantity, clock.instant().plus(HOLD)));
            return id;
        } finally {
            lock.unlock();
        }
    }

    /** Turns a reservation into a shipment: its units leave the warehouse. */
    public void confirm(UUID reservation) {
        lock.lock();
        try {
            Reservation r = reservations.remove(reservation);
            if (r == null) {
                throw new IllegalStateException("reservation " + reservation + " is unknown or has expired");
            }
            onHand.merge(r.sku, -r.quantity, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    /** Gives the units of a cancelled order back. Cancelling twice is harmless. */
    public void cancel(UUID reservation) {
        lock.lock();
        try {
            reservations.remove(reservation);
        } finally {
            lock.unlock();
        }
    }

    /** Books a delivery from a supplier. */
    public void receive(String sku, int quantity) {
        lock.lock();
        try {
            onHand.merge(sku, quantity, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    /** What is on hand and promised to nobody. */
    public int available(String sku) {
        lock.lock();
        try {
            int reserved = reservations.values().stream()
                    .filter(r -> r.sku.equals(sku))
                    .mapToInt(r -> r.quantity)
                    .sum();
            return onHand.getOrDefault(sku, 0) - reserved;
        } finally {
            lock.unlock();
        }
    }

    /** The SKUs that should be ordered again, given a minimum for each. */
    public List<String> belowMinimum(Map<String, Integer> minimums) {
        return minimums.entrySet().stream()
                .filter(e -> available(e.getKey()) < e.getValue())
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    public Optional<Instant> expiry(UUID reservation) {
        return Optional.ofNullable(reservations.get(reservation)).map(r -> r.until);
    }

    private void releaseExpired() {
        Instant now = clock.instant();
        for (Iterator<Reservation> it = reservations.values().iterator(); it.hasNext(); ) {
            if (it.next().until.isBefore(now)) {
                it.remove();
            }
        }
    }

    private static final class Reservation {
        final String sku;
        final int quantity;
        final Instant until;

        Reservation(String sku, int quantity, Instant until) {
            this.sku = sku;
            this.quantity = quantity;
            this.until = until;
        }
    }

    /** Says how much was asked for and how much there was. */
    public static final class OutOfStockException extends Exception {
        public OutOfStockException(String sku, int wanted, int free) {
            super("%s: %d wanted, %d free { see the reorder list }".formatted(sku, wanted, free));
        }
    }
}
