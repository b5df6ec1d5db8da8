// Adds the roles of members and invitations to the control database. Replaces two functions of audit-schema.ts, so that
// events name the role.

/**
 * SQL of the second migration. Existing members become admins, and people with an existing invitation get the role
 * `admin`.
 */
export const ROLES_SCHEMA = `
  alter table memberships add column role text not null default 'admin' check (role in ('admin', 'viewer'));
  alter table invitations add column role text not null default 'admin' check (role in ('admin', 'viewer'));

  -- A viewer can't invite people. If a member becomes a viewer, the member's pending invitations end.
  create function withdraw_invitations_of_viewer() returns trigger language plpgsql as $$
  begin
    update invitations set outcome = 'withdrawn'
    where store_id = new.store_id and outcome is null and invited_by = new.merchant_id;
    return null;
  end $$;
  create trigger memberships_withdraw_invitations_of_viewer after update of role on memberships
    for each row when (new.role <> 'admin') execute function withdraw_invitations_of_viewer();

  create or replace function audit_memberships() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      -- If the member has accepted an invitation, invitations.ts has put its ID into the details. If the member is
      -- removed later, and an older backup is restored, replay-revocations.ts also ends the invitation.
      perform audit_record('membership.added', new.store_id, null, new.merchant_id,
        jsonb_build_object('role', new.role)
          || coalesce(nullif(current_setting('store_export.details', true), ''), '{}')::jsonb);
    elsif tg_op = 'DELETE' then
      perform audit_record('membership.removed', old.store_id, null, old.merchant_id, '{}');
    elsif old.role <> new.role then
      perform audit_record('membership.role_changed', new.store_id, null, new.merchant_id,
        jsonb_build_object('role', new.role));
    end if;
    return null;
  end $$;
  drop trigger audit_memberships on memberships;
  create trigger audit_memberships after insert or delete or update of role on memberships
    for each row execute function audit_memberships();

  -- An invitation that is sent again with another role counts as created, because it gives other rights.
  create or replace function audit_invitations() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' or (tg_op = 'UPDATE' and old.role <> new.role) then
      perform audit_record('invitation.created', new.store_id, null, null,
        jsonb_build_object('invitation', new.id, 'role', new.role));
    -- Only an invitation that could still be accepted counts as withdrawn.
    elsif old.outcome is null and old.expires_at > clock_timestamp() and (tg_op = 'DELETE' or new.outcome = 'withdrawn') then
      perform audit_record('invitation.withdrawn', old.store_id, null, null, jsonb_build_object('invitation', old.id));
    end if;
    return null;
  end $$;
  drop trigger audit_invitations on invitations;
  create trigger audit_invitations after insert or delete or update of outcome, role on invitations
    for each row execute function audit_invitations()`
