/** Returns the smallest value that 99 % of all values don't exceed; 0 for no values. */
export function quantile99(values: Float64Array | Float32Array): number {
  return values.toSorted()[Math.ceil(values.length * 0.99) - 1] ?? 0
}
