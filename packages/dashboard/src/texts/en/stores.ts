// Texts of the list of stores.

export const stores = () => ({
  title: 'Your stores',
  lead: 'Choose a store to see its keys and data.',
  empty: { heading: 'No stores yet', text: 'Ask your platform’s support to add your store to this account.' },
  status: { ready: 'Ready', generating: 'Being created', imported: 'Imported' },
})

export type StoresTexts = ReturnType<typeof stores>
