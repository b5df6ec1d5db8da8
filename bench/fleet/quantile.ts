// The 99th percentile.

/** Of all values 99 in a hundred are no greater; 0 where there are none. */
export function quantile99(values: Float64Array | Float32Array): number {
  return values.toSorted()[Math.ceil(values.length * 0.99) - 1] ?? 0
}
