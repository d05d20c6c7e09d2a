"""Four fifth powers of positive integers that make a fifth power: which bases up to the one given as argument have some."""

import sys
from itertools import combinations_with_replacement

limit = int(sys.argv[1])
power = [number**5 for number in range(limit + 1)]

# Sums of two, with the pairs that make them; four powers are two such sums.
pairs: dict[int, list[tuple[int, int]]] = {}
for one, other in combinations_with_replacement(range(1, limit), 2):
    pairs.setdefault(power[one] + power[other], []).append((one, other))

for base in range(1, limit + 1):
    found = {
        tuple(sorted((*first, *second)))
        for total, these in pairs.items()
        if power[base] - total in pairs
        for first in these
        for second in pairs[power[base] - total]
    }
    for four in sorted(found):
        print(" + ".join(f"{number}^5" for number in four), "=", f"{base}^5")
print("bases tried:", limit)
