/** Mails: by SMTP, or as .eml files in a folder. */
export { FolderMailer, SmtpMailer, type SmtpMailerOptions } from './mailers.js'
