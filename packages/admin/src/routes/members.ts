// The routes of people who use the dashboard: members of stores, and their accounts.

import {
  listMembers,
  removeMembership,
  removeMerchant,
  requireStore,
  type StoreMember,
  setMember,
} from '@store-export/control'
import * as z from 'zod'
import { type Route, route } from '../route.ts'
import {
  emailParameter,
  memberChange,
  memberList,
  removedMember,
  removedMerchant,
  setMemberResult,
  signInLink,
  signInLinkRequest,
} from '../schemas.ts'
import { noBody, noQuery, storeParameter } from './parameters.ts'

const email = emailParameter.meta({ description: 'Email address of the person.' })
const memberParameters = storeParameter.extend({ email })
const merchantParameters = z.strictObject({ email })

const list = route({
  method: 'get',
  path: '/v1/stores/{store}/members',
  id: 'listMembers',
  summary: 'List the members of a store',
  params: storeParameter,
  query: noQuery,
  body: noBody,
  responses: { 200: memberList },
  problems: ['unknown-store'],
  handle: async ({ context, params }) => {
    const { id } = await requireStore(context.database, params.store)
    return { status: 200, body: { data: (await listMembers(context.database, id)).map(memberJson) } }
  },
})

const put = route({
  method: 'put',
  path: '/v1/stores/{store}/members/{email}',
  id: 'setMember',
  summary: 'Add a member, or change the role of a member',
  description: 'Creates the account if no account has the address. The status is 201 for a created account.',
  params: memberParameters,
  query: noQuery,
  body: memberChange,
  responses: { 200: setMemberResult, 201: setMemberResult },
  problems: ['unknown-store', 'last-admin'],
  handle: async ({ context, params, body }) => {
    const { database, random, actor } = context
    const { id: storeId } = await requireStore(database, params.store)
    const acting = actor === undefined ? {} : { actor }
    const member = await setMember({ database, random, email: params.email, storeId, role: body.role, ...acting })
    const { id, isNew, role } = member
    const result = { merchant_id: id, email: member.email, store_id: storeId, role, created: isNew }
    return { status: isNew ? 201 : 200, body: result }
  },
})

const remove = route({
  method: 'delete',
  path: '/v1/stores/{store}/members/{email}',
  id: 'removeMember',
  summary: 'Remove a member from a store',
  description: 'Keys that the person created keep working.',
  params: memberParameters,
  query: noQuery,
  body: noBody,
  responses: { 200: removedMember },
  problems: ['unknown-store', 'unknown-merchant'],
  handle: async ({ context, params }) => {
    const { database, actor } = context
    const { id } = await requireStore(database, params.store)
    // `isSeen` and `hasAdmin` say whether other members, and other admins, are left.
    const { removed, isSeen, hasAdmin } = await removeMembership(database, params.email, id, actor)
    const left = { stores_left_alone: isSeen ? [] : [id], stores_without_admin: isSeen && !hasAdmin ? [id] : [] }
    return {
      status: 200,
      body: { email: params.email, store_id: id, removed: true as const, already: !removed, ...left },
    }
  },
})

const removeAccount = route({
  method: 'delete',
  path: '/v1/merchants/{email}',
  id: 'removeMerchant',
  summary: 'Remove an account of the dashboard',
  description: 'Keys that the person created keep working.',
  params: merchantParameters,
  query: noQuery,
  body: noBody,
  responses: { 200: removedMerchant },
  problems: ['unknown-merchant'],
  handle: async ({ context, params }) => {
    const { storesLeftAlone, storesWithoutAdmin } = await removeMerchant(context.database, params.email, context.actor)
    const left = { stores_left_alone: [...storesLeftAlone], stores_without_admin: [...storesWithoutAdmin] }
    return { status: 200, body: { email: params.email, removed: true as const, ...left } }
  },
})

const createLink = route({
  method: 'post',
  path: '/v1/merchants/{email}/sign-in-links',
  id: 'createSignInLink',
  summary: 'Create a one-time sign-in link',
  description: 'The first sign-in uses the link up. Without a body, the link works as long as the settings say.',
  params: merchantParameters,
  query: noQuery,
  body: signInLinkRequest.prefault({}),
  responses: { 201: signInLink },
  problems: ['unknown-merchant'],
  handle: async ({ services, context, params, body }) => {
    const link = { email: params.email, minutes: body.minutes }
    const { url, expiresAt } = await services.operations.createSignInLink(context, link)
    return { status: 201, body: { url, expires_at: expiresAt.toISOString() } }
  },
})

function memberJson(member: StoreMember) {
  return {
    merchant_id: member.merchantId,
    email: member.email,
    role: member.role,
    since: member.since.toISOString(),
    has_password: member.hasPassword,
    has_two_factor: member.hasTwoFactor,
    has_single_sign_on: member.hasSingleSignOn,
    has_passkey: member.hasPasskey,
  }
}

export const MEMBER_ROUTES: readonly Route[] = [list, put, remove, removeAccount, createLink]
