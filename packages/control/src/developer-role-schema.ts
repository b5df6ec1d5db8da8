// Adds the role of developers, who manage keys but no members, to the control database.

/** SQL of the sixth migration. */
export const DEVELOPER_ROLE_SCHEMA = `
  alter table memberships drop constraint memberships_role_check,
    add constraint memberships_role_check check (role in ('admin', 'developer', 'viewer'));
  alter table invitations drop constraint invitations_role_check,
    add constraint invitations_role_check check (role in ('admin', 'developer', 'viewer'))`
