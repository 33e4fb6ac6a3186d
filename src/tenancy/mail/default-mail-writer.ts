import type { LinkMailSubject, Mail, MailSubject, MailWriter, NoticeMailSubject } from '../../ports/index.js'

/** The engine's default texts, in English. */
export const writeMail: MailWriter = (subject) => (subject.link === undefined ? noticeMail(subject) : linkMail(subject))

function linkMail(subject: LinkMailSubject): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { title, reason, instruction, button, footnote } = textsOf(subject)
  const greeting = greetingOf(subject)
  const validity = `The link works once, until ${minuteOf(subject.expires)}.`
  return {
    subject: title,
    text: [greeting, '', reason, instruction, '', subject.link, '', validity, footnote, ''].join('\n'),
    html: htmlOf(title, [
      escapeHtml(greeting),
      `${escapeHtml(reason)} ${instruction}`,
      `<a href="${escapeHtml(subject.link)}">${button}</a>`,
      `${escapeHtml(validity)} ${escapeHtml(footnote)}`,
    ]),
  }
}

/** A mail without a link. */
function noticeMail(subject: NoticeMailSubject): Pick<Mail, 'subject' | 'text' | 'html'> {
  const title = 'Your password was changed'
  const paragraphs = [
    greetingOf(subject),
    `The password of ${subject.user.email} at ${subject.companyName} was changed on ${minuteOf(subject.happened)}.`,
    'If you changed it, there is nothing to do. If you did not, request a new password where you log in, and tell an administrator of your company.',
  ]
  return {
    subject: title,
    text: `${paragraphs.join('\n\n')}\n`,
    html: htmlOf(title, paragraphs.map(escapeHtml)),
  }
}

function textsOf({ purpose, companyName, user }: LinkMailSubject) {
  if (purpose === 'invitation') {
    return {
      title: `You are invited to ${companyName}`,
      reason: `An account for ${user.email} was created at ${companyName}.`,
      instruction: 'Choose a password to complete it:',
      button: 'Choose a password',
      footnote: 'If you did not expect this mail, ignore it.',
    }
  }
  return {
    title: 'Reset your password',
    reason: `A new password was requested for ${user.email} at ${companyName}.`,
    instruction: 'Choose it here:',
    button: 'Choose a new password',
    footnote: 'If you did not request it, ignore this mail: your password does not change.',
  }
}

function greetingOf({ user }: MailSubject): string {
  return user.name === '' ? 'Hello,' : `Hello ${user.name},`
}

/** @param time ISO 8601, UTC */
function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

function htmlOf(title: string, paragraphs: readonly string[]): string {
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
    ...paragraphs.map((paragraph) => `<p>${paragraph}</p>`),
    '</body></html>',
    '',
  ].join('\n')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
