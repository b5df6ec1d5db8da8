// Declares the credential: the URL of the service and an API key.

import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow'

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
      description: 'The key of the store, from Settings > API. It starts with sdx_.',
      required: true,
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { 'x-api-key': '={{$credentials.apiKey}}' } },
  }

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url.replace(/\\/+$/, "")}}', url: '/api/v1/store' },
  }
}
