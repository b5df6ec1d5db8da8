import type { StoresTexts } from '../en/stores.ts'

export const stores = (): StoresTexts => ({
  title: 'Ihre Shops',
  lead: 'Wählen Sie einen Shop, um seine Schlüssel und Daten zu sehen.',
  empty: {
    heading: 'Noch keine Shops',
    text: 'Bitten Sie den Support Ihrer Plattform, Ihren Shop zu diesem Konto hinzuzufügen.',
  },
  status: { ready: 'Bereit', generating: 'Wird angelegt', imported: 'Importiert' },
})
