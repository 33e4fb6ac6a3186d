import { API_NAMES, type ApiName } from '../http-handler-options.js'
import type { Route } from '../route.js'
import { AUDIT_ROUTE } from './audit.js'
import { CATALOG_ROUTE } from './catalog.js'
import { CONTEXT_ROUTES } from './contexts.js'
import { DELIVERY_ROUTES } from './deliveries.js'
import { DESTINATION_ROUTES } from './destinations.js'
import { DOCUMENT_ROUTES } from './documents.js'
import { PASSWORD_ROUTES } from './passwords.js'
import { PERMISSION_ROUTES } from './permissions.js'
import { SYSTEM_ROUTES } from './system.js'
import { TOKEN_ROUTE } from './token.js'
import { TOKEN_STATE_ROUTES } from './token-state.js'
import { USER_ROUTES } from './users.js'
import { WELL_KNOWN_ROUTES } from './well-known.js'

const API_ROUTES: readonly Route[] = [
  TOKEN_ROUTE,
  ...TOKEN_STATE_ROUTES,
  ...WELL_KNOWN_ROUTES,
  ...PASSWORD_ROUTES,
  ...CONTEXT_ROUTES,
  ...DOCUMENT_ROUTES,
  ...USER_ROUTES,
  ...PERMISSION_ROUTES,
  AUDIT_ROUTE,
  CATALOG_ROUTE,
  ...DESTINATION_ROUTES,
  ...DELIVERY_ROUTES,
]

/** The operations of some parts of the API, and those that are always mounted. */
export function routesOf(apis: readonly ApiName[] = API_NAMES): readonly Route[] {
  return [...API_ROUTES, ...SYSTEM_ROUTES].filter(({ api }) => api === 'system' || apis.includes(api))
}
