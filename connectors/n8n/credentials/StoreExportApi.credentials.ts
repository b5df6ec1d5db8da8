// Declares the credential: the URL of the service and an API key.

import type {
  IAuthenticateGeneric,
  IAuthenticateRuleResponseCode,
  IAuthenticateRuleResponseSuccessBody,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow'

const REDIRECTS = [301, 302, 303, 307, 308]

/** Rejects a response with status 2xx that does not contain a store, because it is not from the service. */
const NOT_THE_SERVICE: IAuthenticateRuleResponseSuccessBody = {
  type: 'responseSuccessBody',
  properties: {
    key: 'data.id',
    value: undefined,
    message: 'The response is not from the export service, but from a proxy or another program. Check the URL.',
  },
}

/** The credential type. n8n tests a credential by requesting the store. */
export class StoreExportApi implements ICredentialType {
  name = 'storeExportApi'
  displayName = 'Store Export API'
  icon = { light: 'file:../icons/storeExport.svg', dark: 'file:../icons/storeExport.dark.svg' } as const
  documentationUrl = 'https://docs.n8n.io/integrations/community-nodes/installation/'

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      default: '',
      placeholder: 'https://export.example.com',
      description: 'The URL of the service, without /api/v1',
      required: true,
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description: 'The key of the store, from Settings > API.',
      required: true,
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { 'x-api-key': '={{$credentials.apiKey}}' } },
  }

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.url.replace(/\\/+$/, "")}}',
      url: '/api/v1/store',
      // n8n would send the key to the new address, too.
      disableFollowRedirect: true,
    },
    // n8n accepts both kinds of rules, although its type allows only one kind in a list.
    rules: [...REDIRECTS.map(redirectRule), NOT_THE_SERVICE] as IAuthenticateRuleResponseCode[],
  }
}

function redirectRule(value: number): IAuthenticateRuleResponseCode {
  const message = 'The URL redirects to another address. Enter the address of the service, usually with https.'
  return { type: 'responseCode', properties: { value, message } }
}
