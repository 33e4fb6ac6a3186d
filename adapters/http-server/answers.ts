export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status })
}

/** An answer with a secret in its JSON body: no cache may store it. */
export function secretJson(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store' } })
}

export function noContent(): Response {
  return new Response(null, { status: 204 })
}

/** An HTML page. Its policy forbids content of other servers, and frames around it. */
export function page(html: string, policy: string, status = 200): Response {
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; ${policy}; base-uri 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
    },
  })
}
