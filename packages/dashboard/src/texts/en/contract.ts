// Names that come from the contract. The contract is in English, so only `value` changes them.

export const contract = () => ({
  /** Returns the name of a list or a row, such as "orders" or "Order". */
  name: (text: string) => text,
  /** Returns the label of a column. */
  column: (text: string) => text,
  /** Returns the fields of a search, such as "ID or name". */
  searchedFields: (text: string) => text,
  /** Returns a value, such as "paid". Values of a newer store can be unknown. */
  value: (text: string) => text.replaceAll('_', ' '),
})

export type ContractTexts = ReturnType<typeof contract>
