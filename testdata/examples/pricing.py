"""Prices of an order: list price, volume discount, coupon, VAT.

All amounts are whole cents. Rounding happens once, at the end of each step,
half up, as the tax office wants it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

VAT = {
    "general": Decimal("0.21"),
    "reduced": Decimal("0.10"),  # food, books on paper
    "super_reduced": Decimal("0.04"),
}

# From so many units on, the line gets so much off.
VOLUME_STEPS = [(100, Decimal("0.15")), (50, Decimal("0.10")), (10, Decimal("0.05"))]


class PricingError(ValueError):
    """An order that cannot be priced; the message is shown to the customer."""


@dataclass(frozen=True)
class Line:
    sku: str
    unit_cents: int
    quantity: int
    vat: str = "general"

    def __post_init__(self):
        if self.quantity < 1:
            raise PricingError(f"{self.sku}: the quantity must be at least 1, not {self.quantity}")
        if self.vat not in VAT:
            raise PricingError(f"{self.sku}: no VAT rate is called {self.vat!r}")

    @property
    def gross(self) -> int:
        return self.unit_cents * self.quantity


@dataclass
class Coupon:
    """Takes a percentage off the whole order, once a customer."""

    code: str
    percent: int
    valid_until: date
    used_by: set[str] = field(default_factory=set)

    def redeem(self, customer: str, today: date) -> Decimal:
        if today > self.valid_until:
            raise PricingError(f"coupon {self.code} ran out on {self.valid_until:%Y-%m-%d}")
        if customer in self.used_by:
            raise PricingError(f"coupon {self.code} was used already")
        self.used_by.add(customer)
        return Decimal(self.percent) / 100


def rounded(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), rounding=ROUND_HALF_UP))


@functools.lru_cache(maxsize=None)
def volume_discount(quantity: int) -> Decimal:
    """The share that a line of so many units gets off."""
    for minimum, share in VOLUME_STEPS:
        if quantity >= minimum:
            return share
    return Decimal(0)


def line_total(line: Line) -> int:
    """What a line costs before coupon and VAT."""
    return rounded(line.gross * (1 - volume_discount(line.quantity)))


def order_total(lines, coupon=None, *, customer="", today=None):
    """What the customer pays, VAT included.

    The coupon applies to what the volume discount left: 10 % and then 15 %
    are 23.5 % off, not 25 %. Shipping is priced elsewhere.
    """
    share_off = Decimal(0)
    if coupon is not None:
        share_off = coupon.redeem(customer, today or date.today())

    total = 0
    for line in lines:
        net = rounded(line_total(line) * (1 - share_off))

        def with_vat(cents, rate=VAT[line.vat]):
            return rounded(cents * (1 + rate))

        total += with_vat(net)
    return total


def receipt(lines) -> str:
    rows = [f"{line.sku:<12} {line.quantity:>4} x {line.unit_cents / 100:>8.2f} {line_total(line) / 100:>10.2f}"
            for line in lines]
    return """\
SKU           QTY       UNIT      TOTAL
{rows}
""".format(rows="\n".join(rows))
