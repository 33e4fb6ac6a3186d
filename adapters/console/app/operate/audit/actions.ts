import type { Schema } from '../../api/api.js'

export type AuditEntry = Schema<'AuditEntry'>
export type AuditAction = AuditEntry['action']

export type Verb =
  | 'add'
  | 'change'
  | 'create'
  | 'delete'
  | 'disable'
  | 'enable'
  | 'hand-over'
  | 'invite'
  | 'move'
  | 'prepare'
  | 'process'
  | 'renew'
  | 'replace'
  | 'request'
  | 'resend'
  | 'resume'
  | 'revoke'
  | 'rotate'
  | 'set'
  | 'sign-in'
  | 'sign-in-by-key'
  | 'suspend'
  | 'test'
  | 'toggle'
  | 'upload'
  | 'use'

/** The words of an action: a verb, and its object. */
export type ActionObject =
  | 'account'
  | 'api-key'
  | 'as-user'
  | 'by-key'
  | 'company'
  | 'context'
  | 'contexts-of'
  | 'delivery'
  | 'destination'
  | 'document'
  | 'document-again'
  | 'otp'
  | 'password'
  | 'password-for'
  | 'permission'
  | 'recovery-code'
  | 'recovery-codes'
  | 'role'
  | 'role-of'
  | 'secret-of'
  | 'sharing-of'
  | 'signing-key'
  | 'token-of'
  | 'user'
  | 'user-again'

export const ACTIONS: Readonly<Record<AuditAction, readonly [Verb, ActionObject]>> = {
  'permission.created': ['create', 'permission'],
  'permission.role-changed': ['change', 'role-of'],
  'permission.suspended': ['suspend', 'permission'],
  'permission.resumed': ['resume', 'permission'],
  'permission.revoked': ['revoke', 'permission'],
  'permission.toggled': ['toggle', 'permission'],
  'user.added': ['add', 'user'],
  'user.updated': ['change', 'user'],
  'user.reinitiated': ['invite', 'user-again'],
  'user.disabled': ['disable', 'user'],
  'user.enabled': ['enable', 'user'],
  'user.deleted': ['delete', 'user'],
  'user.contexts-handed-over': ['hand-over', 'contexts-of'],
  'password.reset-requested': ['request', 'password-for'],
  'password.set': ['set', 'password'],
  'otp.begun': ['prepare', 'otp'],
  'otp.enabled': ['enable', 'otp'],
  'otp.disabled': ['disable', 'otp'],
  'otp.recovery-codes-renewed': ['renew', 'recovery-codes'],
  'otp.recovery-code-used': ['use', 'recovery-code'],
  'token.revoked': ['revoke', 'token-of'],
  'token.refused': ['sign-in-by-key', 'by-key'],
  'login.refused': ['sign-in', 'as-user'],
  'api-key.created': ['create', 'api-key'],
  'api-key.revoked': ['revoke', 'api-key'],
  'company.created': ['create', 'company'],
  'company.moved': ['move', 'company'],
  'company.disabled': ['disable', 'company'],
  'company.enabled': ['enable', 'company'],
  'company.deleted': ['delete', 'company'],
  'account.created': ['create', 'account'],
  'account.enabled': ['enable', 'account'],
  'account.disabled': ['disable', 'account'],
  'account.deleted': ['delete', 'account'],
  'role.created': ['create', 'role'],
  'role.disabled': ['disable', 'role'],
  'role.enabled': ['enable', 'role'],
  'role.deleted': ['delete', 'role'],
  'signing-key.rotated': ['rotate', 'signing-key'],
  'context.created': ['create', 'context'],
  'context.updated': ['change', 'context'],
  'context.shared': ['change', 'sharing-of'],
  'context.handed-over': ['hand-over', 'context'],
  'context.deleted': ['delete', 'context'],
  'document.uploaded': ['upload', 'document'],
  'document.updated': ['change', 'document'],
  'document.replaced': ['replace', 'document'],
  'document.retried': ['process', 'document-again'],
  'document.deleted': ['delete', 'document'],
  'destination.created': ['create', 'destination'],
  'destination.updated': ['change', 'destination'],
  'destination.disabled': ['disable', 'destination'],
  'destination.enabled': ['enable', 'destination'],
  'destination.deleted': ['delete', 'destination'],
  'destination.secret-rotated': ['rotate', 'secret-of'],
  'destination.tested': ['test', 'destination'],
  'delivery.resent': ['resend', 'delivery'],
}
