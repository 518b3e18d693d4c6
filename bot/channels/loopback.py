"""Which hosts are this machine: what is not encrypted goes nowhere else."""

from ipaddress import ip_address


def is_loopback(host: str | None) -> bool:
    """Whether only this machine reaches a host of this name."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False
