import type { Container } from 'inversify'
import {
  AccessRecorder,
  AddUser,
  Administration,
  AuthenticateToken,
  Authorizer,
  checkSetupUrl,
  FailureThrottle,
  GrantPermission,
  Initialize,
  IssueToken,
  ListPermissionOptions,
  ListUsers,
  MailQueue,
  ManagePermissions,
  Passwords,
  ReinitiateUser,
  SendMail,
} from '../tenancy-authorization/index.js'
import type { EngineOptions } from './engine-options.js'
import { CLOCK, MAILER, PASSWORD_HASHER, STORAGE, TELEMETRY, TOKEN_SIGNER } from './tokens.js'

/** Binds companies, users, permissions, tokens, passwords and mails. */
export function bindTenancy(container: Container, options: EngineOptions): void {
  container
    .bind(AccessRecorder)
    .toResolvedValue(
      (storage, clock, telemetry) => new AccessRecorder(storage, clock, telemetry),
      [STORAGE, CLOCK, TELEMETRY],
    )
  container
    .bind(Authorizer)
    .toResolvedValue((storage, recorder) => new Authorizer(storage, recorder), [STORAGE, AccessRecorder])
  container.bind(Initialize).toResolvedValue((storage, clock) => new Initialize(storage, clock), [STORAGE, CLOCK])
  container
    .bind(Administration)
    .toResolvedValue(
      (storage, clock, addUser, passwords, signer) => new Administration(storage, clock, addUser, passwords, signer),
      [STORAGE, CLOCK, AddUser, Passwords, TOKEN_SIGNER],
    )
  bindTokens(container)
  bindMails(container, options)
  bindUsersAndPermissions(container)
}

function bindTokens(container: Container): void {
  container.bind(FailureThrottle).toResolvedValue((clock) => new FailureThrottle(clock), [CLOCK])
  container
    .bind(IssueToken)
    .toResolvedValue(
      (storage, clock, signer, throttle) => new IssueToken(storage, clock, signer, throttle),
      [STORAGE, CLOCK, TOKEN_SIGNER, FailureThrottle],
    )
  container
    .bind(AuthenticateToken)
    .toResolvedValue(
      (storage, clock, signer) => new AuthenticateToken(storage, clock, signer),
      [STORAGE, CLOCK, TOKEN_SIGNER],
    )
}

function bindMails(container: Container, { mail = {} }: EngineOptions): void {
  if (typeof mail.setupUrl === 'string') checkSetupUrl(mail.setupUrl)
  container
    .bind(SendMail)
    .toResolvedValue((storage, clock, mailer) => new SendMail(storage, clock, mailer, mail), [STORAGE, CLOCK, MAILER])
  container
    .bind(MailQueue)
    .toResolvedValue(
      (storage, clock, mailer, sendMail, telemetry) => new MailQueue(storage, clock, mailer, sendMail, telemetry),
      [STORAGE, CLOCK, MAILER, SendMail, TELEMETRY],
    )
}

function bindUsersAndPermissions(container: Container): void {
  container
    .bind(AddUser)
    .toResolvedValue((storage, clock, mails) => new AddUser(storage, clock, mails), [STORAGE, CLOCK, MailQueue])
  container
    .bind(ReinitiateUser)
    .toResolvedValue((storage, mails) => new ReinitiateUser(storage, mails), [STORAGE, MailQueue])
  container
    .bind(ListUsers)
    .toResolvedValue((storage, recorder) => new ListUsers(storage, recorder), [STORAGE, AccessRecorder])
  container
    .bind(Passwords)
    .toResolvedValue(
      (storage, clock, hasher, mails) => new Passwords(storage, clock, hasher, mails),
      [STORAGE, CLOCK, PASSWORD_HASHER, MailQueue],
    )
  container
    .bind(GrantPermission)
    .toResolvedValue((storage, clock) => new GrantPermission(storage, clock), [STORAGE, CLOCK])
  container.bind(ManagePermissions).toResolvedValue((storage) => new ManagePermissions(storage), [STORAGE])
  container.bind(ListPermissionOptions).toResolvedValue((storage) => new ListPermissionOptions(storage), [STORAGE])
}
