export { AccessRecorder } from './access/access-recorder.js'
export { Access, Authorizer } from './access/authorizer.js'
export { CAPABILITIES, type Capability } from './access/capability.js'
export { actorOf, type Origin, type Principal, parsePrincipal } from './access/principal.js'
export { covers, type Reach, requireCompany, UNLIMITED, unlimitedReach } from './access/reach.js'
export { Administration } from './administration.js'
export type { NewAccount } from './companies/create-account.js'
export type { NewCompany } from './companies/create-company.js'
export { PURGE_COMPANY } from './companies/delete-company.js'
export type { ContextRemoval } from './context-removal.js'
export { Initialize, type InitializeInput, type InitializeResult } from './initialize.js'
export { MailGate } from './mail/mail-gate.js'
export { MailQueue } from './mail/mail-queue.js'
export { type MailSettings, SendMail } from './mail/send-mail.js'
export { checkSetupUrl } from './mail/setup-url.js'
export type { OneTimePasswordLabel, OneTimePasswordSetup } from './one-time-passwords/begin-one-time-password.js'
export type { OneTimePasswordOperations } from './one-time-passwords/one-time-password-operations.js'
export { OtpSecrets } from './one-time-passwords/otp-secrets.js'
export type { RecoveryCodes } from './one-time-passwords/recovery-codes.js'
export { SecondFactor } from './one-time-passwords/second-factor.js'
export { GrantPermission, type NewPermission, newPermissionSchema } from './permissions/grant-permission.js'
export { ManagePermissions, type PermissionChange, permissionChangeSchema } from './permissions/manage-permissions.js'
export {
  ListPermissionOptions,
  type OptionItem,
  type PermissionOptions,
  type PermissionOptionsPath,
} from './permissions/permission-options.js'
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
export type { NewRole } from './roles/create-role.js'
export { FailureThrottle } from './throttles/failure-throttle.js'
export { networkOf } from './throttles/network-of.js'
export { PasswordRequests } from './throttles/password-requests.js'
export { Throttle } from './throttles/throttle.js'
export { AuthenticateClient } from './tokens/authenticate-client.js'
export { AuthenticateToken, type Caller } from './tokens/authenticate-token.js'
export type { ApiKeyWithSecret, NewApiKey } from './tokens/create-api-key.js'
export { type Introspection, IntrospectToken } from './tokens/introspect-token.js'
export { IssueToken, type TokenRequest, type TokenResponse } from './tokens/issue-token.js'
export { RevokeToken, type TokenStateRequest } from './tokens/revoke-token.js'
export { type TokenIssuer, tokenIssuerOf } from './tokens/token-issuer.js'
export { AddUser, type NewUser, newUserSchema } from './users/add-user.js'
export { DeleteUser, type DeleteUserOptions } from './users/delete-user.js'
export { ListUsers } from './users/list-users.js'
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
export { ReinitiateUser } from './users/reinitiate-user.js'
