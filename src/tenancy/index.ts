export { AccessRecorder } from './access/access-recorder.js'
export { Access, Authorizer } from './access/authorizer.js'
export {
  actorOf,
  CAPABILITIES,
  type Capability,
  type Origin,
  type Principal,
  parsePrincipal,
} from './access/principal.js'
export { covers, type Reach, requireCompany, UNLIMITED, unlimitedReach } from './access/reach.js'
export { Administration } from './administration.js'
export type { NewAccount } from './companies/accounts.js'
export { type NewCompany, PURGE_COMPANY } from './companies/companies.js'
export type { ContextRemoval } from './context-removal.js'
export { Initialize, type InitializeInput, type InitializeResult } from './initialize.js'
export { MailGate } from './mail/mail-gate.js'
export { MailQueue } from './mail/mail-queue.js'
export { checkSetupUrl, type MailSettings, SendMail } from './mail/send-mail.js'
export type {
  OneTimePasswordLabel,
  OneTimePasswordOperations,
  OneTimePasswordSetup,
} from './one-time-passwords/one-time-passwords.js'
export { OtpSecrets } from './one-time-passwords/otp-secrets.js'
export type { RecoveryCodes } from './one-time-passwords/recovery-codes.js'
export { SecondFactor } from './one-time-passwords/second-factor.js'
export {
  ListPermissionOptions,
  type OptionItem,
  type PermissionOptions,
  type PermissionOptionsPath,
} from './permissions/permission-options.js'
export {
  type NewPermission,
  newPermissionSchema,
  type PermissionChange,
  Permissions,
  permissionChangeSchema,
} from './permissions/permissions.js'
export type {
  Account,
  ApiKey,
  Company,
  ListedPermission,
  Permission,
  Role,
  User,
  UserWithPermissions,
} from './records.js'
export type { NewRole } from './roles/roles.js'
export { FailureThrottle, networkOf, PasswordRequests, Throttle } from './throttles/throttle.js'
export type { ApiKeyWithSecret, NewApiKey } from './tokens/api-keys.js'
export { AuthenticateClient } from './tokens/authenticate-client.js'
export { AuthenticateToken, type Caller } from './tokens/authenticate-token.js'
export { type TokenIssuer, tokenIssuerOf } from './tokens/token-scope.js'
export {
  type Introspection,
  type TokenRequest,
  type TokenResponse,
  type TokenStateRequest,
  Tokens,
} from './tokens/tokens.js'
export { type NewUser, newUserSchema } from './users/add-user.js'
export { PasswordRules } from './users/password-rules.js'
export {
  type PasswordCheck,
  type PasswordOrigin,
  type PasswordReset,
  type PasswordSetup,
  Passwords,
  passwordResetSchema,
  passwordSetupSchema,
} from './users/passwords.js'
export { type DeleteUserOptions, Users } from './users/users.js'
