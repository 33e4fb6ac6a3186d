export { Access, AccessRecorder, Authorizer, givesAccess } from './access/authorizer.js'
export { hasFullSight, keepsFullSight } from './access/full-sight.js'
export { managersOfWebhooks } from './access/last-manager.js'
export {
  ListPermissionOptions,
  type NewPermission,
  newPermissionSchema,
  type OptionItem,
  type PermissionChange,
  type PermissionOptions,
  type PermissionOptionsPath,
  Permissions,
  permissionChangeSchema,
} from './access/permissions.js'
export {
  actorOf,
  CAPABILITIES,
  type Capability,
  findUsableUser,
  type Origin,
  type Principal,
  parsePrincipal,
  type RequestOrigin,
} from './access/principal.js'
export { covers, type Reach, requireCompany, UNLIMITED, unlimitedReach } from './access/reach.js'
export { type NewRole, Roles } from './access/roles.js'
export type { ContextRemoval, NewAccount } from './accounts.js'
export { Administration } from './administration.js'
export { CallTurns } from './call-turns.js'
export { Companies, type NewCompany, PURGE_COMPANY } from './companies.js'
export { type CompanyUsage, ReadUsage, type UsedPart } from './company-usage.js'
export { Initialize, type InitializeInput, type InitializeResult, parseInitial } from './initialize.js'
export { MailGate, MailQueue } from './mail-queue.js'
export type {
  Account,
  ApiKey,
  Company,
  ListedPermission,
  ListedRole,
  Permission,
  Role,
  User,
  UserWithPermissions,
} from './records.js'
export { checkMailSettings, type MailSettings, SendMail } from './send-mail.js'
export { FailureThrottle, networkOf, PasswordRequests, Throttle } from './throttle.js'
export { AuthenticateToken, type Caller, type TokenIssuer, tokenIssuerOf } from './tokens/access-token.js'
export {
  ApiKeys,
  type ApiKeyWithSecret,
  type NewApiKey,
  type NewTenantApiKey,
  newTenantApiKeySchema,
} from './tokens/api-keys.js'
export { AuthenticateClient } from './tokens/authenticate-client.js'
export {
  type KeyLogin,
  keyLoginSchema,
  type Login,
  type LoginAccount,
  type LoginInput,
  type PasswordLogin,
  passwordLoginSchema,
} from './tokens/login.js'
export { Logins } from './tokens/logins.js'
export {
  type Introspection,
  type TokenRequest,
  type TokenResponse,
  type TokenStateRequest,
  Tokens,
} from './tokens/tokens.js'
export { type EnsuredUser, EnsureUser, type EnsureUserInput } from './users/ensure-user.js'
export { FindUsers, type UserDetails, type UserQuery } from './users/find-users.js'
export { type NewUser, newUserSchema } from './users/identity.js'
export { NewUsers } from './users/new-users.js'
export type {
  OneTimePasswordLabel,
  OneTimePasswordOperations,
  OneTimePasswordSetup,
} from './users/one-time-passwords.js'
export {
  type PasswordCheck,
  type PasswordReset,
  type PasswordSetup,
  passwordResetSchema,
} from './users/password-input.js'
export { PasswordRules } from './users/password-rules.js'
export { Passwords } from './users/passwords.js'
export { OtpSecrets, type RecoveryCodes, SecondFactor } from './users/second-factor.js'
export type { UserPrincipal } from './users/user-principals.js'
export { type DeleteUserOptions, Users } from './users/users.js'
export type { WantedRole } from './users/wanted-roles.js'
