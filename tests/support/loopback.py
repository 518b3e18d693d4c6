"""Servers on loopback, with TLS where a certificate is given: one that nobody trusts but who is told to."""

import asyncio
import gc
import ssl
import threading
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from inspect import isawaitable
from ipaddress import ip_address
from pathlib import Path

from aiohttp import ClientSession, web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.clock import SystemClock, to_datetime


def sessions() -> int:
    """How many of a client's are open in this process."""
    return sum(isinstance(one, ClientSession) and not one.closed for one in gc.get_objects())


def make_certificate(folder: Path) -> Path:
    """A PEM file with the certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = to_datetime(SystemClock().now())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, form, plain = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file = folder / "certificate.pem"
    file.write_bytes(certificate.public_bytes(pem) + key.private_bytes(pem, form, plain))
    return file


@asynccontextmanager
async def served(routes, certificate=None):
    """A server on loopback; its address."""
    app = web.Application()
    app.add_routes([web.route("*", path, _async(handler)) for path, handler in routes.items()])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH) if certificate else None
    if context:
        context.load_cert_chain(certificate)
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    yield f"http{'s' if certificate else ''}://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@contextmanager
def served_aside(routes):
    """The same in a thread of its own, for a test without a loop; its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = served(routes)
    try:
        yield asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(30)
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


def _async(handler):
    async def answer(request):
        await request.read()
        found = handler(request)
        return await found if isawaitable(found) else found

    return answer
