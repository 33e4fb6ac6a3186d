import { API_NAMES, type HttpHandlerOptions, type Route } from '../route.js'
import { CONTEXT_ROUTES, DOCUMENT_ROUTES } from './assistant/assistant.js'
import { CONTEXT_SETTINGS_ROUTES } from './assistant/context-settings.js'
import { DOCUMENT_CONTENT_ROUTES } from './assistant/document-content.js'
import { DOCUMENT_EVENTS_ROUTE } from './assistant/document-events.js'
import { SEARCH_ROUTES } from './assistant/search.js'
import { CATALOG_ROUTE, DELIVERY_ROUTES, DESTINATION_ROUTES } from './events.js'
import { LOGIN_ROUTES } from './login/logins.js'
import { TOKEN_ROUTE, TOKEN_STATE_ROUTES, WELL_KNOWN_ROUTES } from './login/oauth.js'
import { PASSWORD_ROUTES } from './login/passwords.js'
import { OPERATOR_ROUTES } from './operator.js'
import { SYSTEM_ROUTES } from './system.js'
import { HAND_OVER_ROUTES } from './tenant/hand-over.js'
import { AUDIT_ROUTE, PERMISSION_ROUTES, USAGE_ROUTE, USER_ROUTES } from './tenant/tenant.js'
import { TENANT_ACCESS_ROUTES } from './tenant/tenant-access.js'
import { USER_LOOKUP_ROUTES } from './tenant/user-lookup.js'

const TOKEN_ROUTES: readonly Route[] = [TOKEN_ROUTE, ...TOKEN_STATE_ROUTES, ...WELL_KNOWN_ROUTES]

const API_ROUTES: readonly Route[] = [
  ...PASSWORD_ROUTES,
  ...SEARCH_ROUTES,
  ...CONTEXT_ROUTES,
  ...CONTEXT_SETTINGS_ROUTES,
  DOCUMENT_EVENTS_ROUTE,
  ...DOCUMENT_ROUTES,
  ...DOCUMENT_CONTENT_ROUTES,
  ...USER_ROUTES,
  ...USER_LOOKUP_ROUTES,
  ...HAND_OVER_ROUTES,
  ...PERMISSION_ROUTES,
  ...TENANT_ACCESS_ROUTES,
  AUDIT_ROUTE,
  USAGE_ROUTE,
  ...OPERATOR_ROUTES,
  CATALOG_ROUTE,
  ...DESTINATION_ROUTES,
  ...DELIVERY_ROUTES,
]

/** The operations that a handler with these options has. */
export function routesOf({
  apis = API_NAMES,
  bearerTokens = true,
  cookieLogins = false,
}: Pick<HttpHandlerOptions, 'apis' | 'bearerTokens' | 'cookieLogins'>): readonly Route[] {
  const ofTokens = bearerTokens ? TOKEN_ROUTES : []
  const ofLogins = cookieLogins ? LOGIN_ROUTES : []
  return [...ofTokens, ...ofLogins, ...API_ROUTES, ...SYSTEM_ROUTES].filter(
    ({ api }) => api === 'system' || apis.includes(api),
  )
}
