// Texts around every page: navigation, account, and footer.

export const layout = () => ({
  skip: 'Skip to the content',
  chooseStore: ', choose another store',
  navigation: 'Store',
  settings: 'Settings',
  storeData: 'Store data',
  sections: {
    general: 'General',
    api: 'API',
    members: 'Members',
    activity: 'Activity',
    usage: 'Usage',
    data: 'Data',
    recipes: 'Recipes',
  },
  reference: 'API reference',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  signOut: 'Sign out',
  generating: 'This store is still being created. You can create keys now. They work as soon as the store is ready.',
  generatingForViewer: 'This store is still being created. Its keys work as soon as the store is ready.',
  imported:
    'This store was imported and is hosted elsewhere, so its data can’t be exported from here. The API rejects requests with its keys.',
  apiUrl: 'API URL:',
  readsOnly: 'Store Data Export only reads your store’s data. It can’t change it.',
})

export type LayoutTexts = ReturnType<typeof layout>
