import { type Html, markup } from '../lib/markup.ts'

/** These rules hold for every call, so they are described only once. */
export const basics = (base: string, origin: string): Html =>
  markup`<section id="basics"><h2>Basics</h2>
  <p>Every path starts with <code>${base}</code>. Requests and responses are JSON. Amounts are decimal strings, never floats; in
  smallest units they are whole numbers as strings (<code>raw</code>). Members may be added to responses at any time: ignore those you
  do not know.</p>
  <h3 id="keys">Keys and signatures</h3>
  <table>
  <thead>
  <tr><th scope="col">Kind</th><th scope="col">What it takes</th></tr></thead>
  <tbody>
  <tr><td><span class="auth">Key</span></td>
    <td>The publishable key in <code>X-API-KEY</code>. May be in a browser. Servers may send it in <code>Authorization</code> instead.</td></tr>
  <tr><td><span class="auth">Signed</span></td>
    <td>The key in <code>Authorization</code>, and <code>Authorization-Signature: APIKey=…,signature=…,timestamp=…</code>: the hex
  HMAC-SHA256, with your secret, of method, path (without <code>/v3</code> and query) and Unix time, concatenated. The clock may be off
  by 300 seconds. Servers only.</td></tr>
  <tr><td><span class="auth">Body signed</span></td>
    <td>The same, with the hex SHA-256 of the body appended to what is signed.</td></tr>
  <tr><td><span class="auth">Key or signed</span></td>
    <td>The key is enough, except for a <code>SALE</code>, which must be signed.</td></tr>
  <tr><td><span class="auth">Public</span></td>
    <td>Nothing.</td></tr>
  </tbody>
  </table>
  <h3 id="idempotency">Idempotent requests</h3>
  <p>Where <code>Idempotency-Key</code> is accepted, the same key with the same body gets the same response as the first time, for a day; with
  another body it is 409. Signed and unsigned calls have separate keys. Use an id of your own (the cart, the refund), and a request that you had to repeat creates one order.</p>
  <h3 id="limits">Limits</h3>
  <p>Calls are counted per key, and with the publishable key also per address; those that ask a chain or a provider for you (quotes,
  swap prices, portfolios, looking a transaction up) have a smaller allowance of their own. 429 and 503 say in <code>Retry-After</code>
  how many seconds to wait. A body may have at most 64 KiB.</p>
  <h3 id="errors">Errors</h3>
  <p>Each is an <a href="#type-ErrorResponse">ErrorResponse</a>: a sentence that you can act on in <code>message</code>, and for an
  invalid body the members that are wrong in <code>details.issues</code>, each with its <code>path</code>. A member that this API does
  not know is refused by name, except in <code>metadata</code>, which keeps strings of your own. 401 never says which part was wrong. 500 carries a trace id
  that the operator finds in the log. After 4xx nothing has happened; after 5xx or no response, retry with the same
  <code>Idempotency-Key</code>.</p>
  <h3 id="live">Live events</h3>
  <p><code>${base.replace(/^http/, 'ws')}/ws</code>: send <code>{"type":"connect","data":{"api_key":"…"}}</code>, then
  <code>{"type":"subscribe","data":{"order_id":"…"}}</code>, and get <code>{"type":"event","data":…}</code> with an
  <a href="#type-EventEnvelope">EventEnvelope</a> for each change. Nothing is replayed: read the order after you have subscribed.</p>
  <p>A server may subscribe to its whole organisation: it connects with
  <code>{"type":"connect","data":{"api_key":"…","authorization_signature":"APIKey=…,signature=…,timestamp=…"}}</code>, signed like a
  call of <code>GET/ws</code> (the text that is signed is <code>GET/ws</code> and the Unix time), and sends
  <code>{"type":"subscribe","data":{}}</code>. A <code>{"type":"ping"}</code> comes every 25 seconds; a client that receives nothing for
  40 seconds reconnects. A connection is closed with code 4401 when its key is switched off.</p>
  <h3 id="deliveries">Webhook deliveries</h3>
  <p>A POST of an <a href="#type-EventEnvelope">EventEnvelope</a>. <code>Till-Webhook-Signature</code> is the base64 HMAC-SHA256 of the
  raw body with the webhook's secret; for a day after a rotation there are two, separated by a comma.
  <code>Till-Webhook-Id</code> is the same for every retry of one delivery. A status from 200 to 299 within 30 seconds acknowledges it.</p>
  <h3 id="x402">x402</h3>
  <p><a href="#completeX402">Completing a payment</a> uses headers, each the base64 of JSON: <code>PAYMENT-REQUIRED</code> of a 402
  response is a <a href="#type-PaymentRequired">PaymentRequired</a>, <code>PAYMENT-SIGNATURE</code> of the request a
  <a href="#type-PaymentPayload">PaymentPayload</a>, and <code>PAYMENT-RESPONSE</code> of the answer a
  <a href="#type-PaymentResponse">PaymentResponse</a>.</p>
  <h3 id="machines">For machines</h3>
  <p><a href="${base}/openapi.json">openapi.json</a> (OpenAPI 3.1) is the source of this page. The embed script is at
  <code>${origin}/till.js</code>.</p>
  </section>`
