import type { LinkMailSubject, Mail, MailSubject, MailWriter, NoticeMailSubject } from '../../ports/index.js'

/** The engine's own words, in English. */
export const writeMail: MailWriter = (subject) => (subject.link === undefined ? noticeMail(subject) : linkMail(subject))

function linkMail(subject: LinkMailSubject): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { title, why, please, button, otherwise } = wording(subject)
  const greeting = greetingOf(subject)
  const until = `The link works once, until ${minuteOf(subject.expires)}.`
  return {
    subject: title,
    text: [greeting, '', why, please, '', subject.link, '', until, otherwise, ''].join('\n'),
    html: htmlOf(title, [
      escapeHtml(greeting),
      `${escapeHtml(why)} ${please}`,
      `<a href="${escapeHtml(subject.link)}">${button}</a>`,
      `${escapeHtml(until)} ${escapeHtml(otherwise)}`,
    ]),
  }
}

/** A mail to read: nothing in it is to be followed. */
function noticeMail(subject: NoticeMailSubject): Pick<Mail, 'subject' | 'text' | 'html'> {
  const title = 'Your password was changed'
  const paragraphs = [
    greetingOf(subject),
    `The password of ${subject.user.email} at ${subject.companyName} was changed on ${minuteOf(subject.happened)}.`,
    'If it was you, there is nothing to do. If it was not, ask for a new password where you log in, and tell an administrator of your company.',
  ]
  return {
    subject: title,
    text: `${paragraphs.join('\n\n')}\n`,
    html: htmlOf(title, paragraphs.map(escapeHtml)),
  }
}

function wording({ purpose, companyName, user }: LinkMailSubject) {
  if (purpose === 'invitation') {
    return {
      title: `You are invited to ${companyName}`,
      why: `An account for ${user.email} was made at ${companyName}.`,
      please: 'Choose a password to complete it:',
      button: 'Choose a password',
      otherwise: 'If you did not expect this mail, ignore it.',
    }
  }
  return {
    title: 'Reset your password',
    why: `A new password was asked for ${user.email} at ${companyName}.`,
    please: 'Choose it here:',
    button: 'Choose a new password',
    otherwise: 'If you did not ask for it, ignore this mail: your password stays as it is.',
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
