"""Sends messages of RDS there and back: rds.py ADDRESS ADDRESS MESSAGES. Both addresses are this machine's."""
import socket
import sys

RDS = getattr(socket, "AF_RDS", 21)


def bound(address, port):
    s = socket.socket(RDS, socket.SOCK_SEQPACKET, 0)
    s.bind((address, port))
    s.settimeout(120)  # RDS takes its time to connect
    return s


here, there, messages = sys.argv[1], sys.argv[2], int(sys.argv[3])
a, b = bound(here, 4000), bound(there, 4001)
for i in range(messages):
    message = bytes(100 + i)
    a.sendto(message, (there, 4001))
    received, sender = b.recvfrom(1 << 16)
    assert received == message and sender[0] == here, sender
    b.sendto(message, (here, 4000))
    received, sender = a.recvfrom(1 << 16)
    assert received == message and sender[0] == there, sender
