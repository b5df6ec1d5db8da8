// Texts about the roles of members.

export const roles = () => ({
  label: 'Role',
  names: { admin: 'Admin', developer: 'Developer', viewer: 'Viewer' },
  choices: {
    admin: 'Admin: manages keys and members, and sees the store’s data',
    developer: 'Developer: manages keys, and sees the store’s data, but does not manage members',
    viewer: 'Viewer: sees keys, usage, and activity, but no data of customers, and changes nothing',
  },
  change: {
    title: 'Change the role',
    lead: 'Choose what this member can do in this store.',
    effects:
      'The change applies immediately. If an admin gets another role, invitations that this admin has sent are withdrawn, and directory tokens that this admin has created are revoked. Keys that this admin has copied continue to work.',
    button: 'Save role',
    done: 'The role is changed. It applies immediately.',
  },
  problems: {
    none: 'Choose a role.',
    lastAdmin: 'This member is the only admin of the store. First make another member an admin.',
  },
})

export type RolesTexts = ReturnType<typeof roles>
