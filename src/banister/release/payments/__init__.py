"""What a plan pays for, one file each: a payment states its own loss, draws its own noise and describes itself."""
