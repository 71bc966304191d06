/** On every answer. Pages load nothing from anywhere else and run no script that is not a file of ours. */
const always = {
  'Content-Security-Policy':
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

export function securityHeaders(baseUrl: string): Readonly<Record<string, string>> {
  const isSecure = baseUrl.startsWith('https:')
  return isSecure ? { ...always, 'Strict-Transport-Security': 'max-age=31536000' } : always
}
