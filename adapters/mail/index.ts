/** Mails: by SMTP, or as .eml files in a folder. */
export { FolderMailer } from './folder-mailer.js'
export { SmtpMailer, type SmtpMailerOptions } from './smtp-mailer.js'
