"""A relay of TCP connections between a browser and a server, which fails as a network does."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from urllib.parse import urlsplit


class Relay(ThreadingTCPServer):
    """Has an address of its own, which stays while the server behind it is away."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.target = target
        """The server's address; changes when another server takes its place."""
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.is_cut = False
        self.open: set[_Connection] = set()

    def cut(self) -> None:
        """Ends all connections and refuses others."""
        self.is_cut = True
        for connection in list(self.open):
            connection.end()

    def restore(self) -> None:
        self.is_cut = False

    def silence(self) -> None:
        """Lets nothing through any more on the connections that are open, without ending them."""
        for connection in list(self.open):
            connection.is_silent = True


class _Connection(BaseRequestHandler):
    server: Relay
    request: socket.socket
    is_silent = False

    def handle(self) -> None:
        if self.server.is_cut:
            return
        address = urlsplit(self.server.target)
        with suppress(OSError), socket.create_connection((address.hostname or "", address.port or 0)) as self.far:
            self.server.open.add(self)
            if self.server.is_cut:  # since the look above: a connection that stayed would answer during the outage
                self.server.open.discard(self)
                return
            back = threading.Thread(target=self._pump, args=(self.far, self.request), daemon=True)
            back.start()
            self._pump(self.request, self.far)
            back.join()
            self.server.open.discard(self)

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65_536):
                if not self.is_silent:
                    sink.sendall(piece)
        self.end()

    def end(self) -> None:
        for end in (self.request, self.far):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def relayed(target: str) -> Iterator[Relay]:
    with Relay(target) as relay:
        thread = threading.Thread(target=relay.serve_forever, daemon=True)
        thread.start()
        yield relay
        relay.shutdown()
        relay.cut()
        thread.join(10)
